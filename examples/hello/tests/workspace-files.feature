Feature: Workspace files

    As a researcher,
    I want to find everybody greeted in the workspace,
    so that nobody is forgotten.

    Scenario: What was declared is there
        When the workflow is finished
        Then all the outputs should be included in the workspace
        And the workspace should include "results/greetings.txt"
        And the workspace should not include "results/farewells.txt"

    Scenario: Everybody is greeted
        When the workflow is finished
        Then the file "results/greetings.txt" should contain "Hello, Ada!"
        And the file "results/greetings.txt" should contain "Hello, Rosalind!"
        And the sha256 checksum of the file "results/greetings.txt" should be "486480528dda1fbba00ce26c7a1958cd3459a47eb0beb3043a8d2ca7509a1a7a"

    Scenario: Sizes are reasonable
        When the workflow is finished
        Then the size of the file "results/greetings.txt" should be exactly 42 bytes
        And the workspace size should be more than 1 KiB
        And the workspace size should be less than 10 MiB
