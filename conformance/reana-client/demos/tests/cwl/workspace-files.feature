Feature: Workspace files

    Scenario: The outputs are there
        When the workflow is finished
        Then all the outputs should be included in the workspace
        And the workspace should contain "code/throw.py"
        And the workspace should not contain "results/cheats.txt"

    Scenario: The throws of this seed are always the same
        When the workflow is finished
        Then the file "outputs/sums.txt" should contain "***"
        And the sha256 checksum of the file "outputs/sums.txt" should be "7daa64c9bcd15c5c8e6ef3728898e89e3bf6309af406e1fabeddc1eb9893f0ff"
        And the size of the file "outputs/sums.txt" should be exactly 90 bytes
        And the size of the file "outputs/sums.txt" should be between 50 bytes and 1 KiB

    Scenario: The workspace is small
        When the workflow is finished
        Then the workspace size should be more than 1 KiB
        And the workspace size should be less than 10 MiB
