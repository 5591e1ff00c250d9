Feature: Log messages

    As a researcher,
    I want to see in the logs what was done,
    so that I can trust what came of it.

    Scenario: The engine says which commands it hands out
        When the workflow is finished
        Then the engine logs should contain "Publishing step:0, cmd: mkdir -p results"
        And the engine logs should contain "code/hello.sh"

    Scenario: The greetings are counted
        When the workflow is finished
        Then the job logs for the step "count" should contain "3"
