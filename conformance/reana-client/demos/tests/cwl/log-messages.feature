Feature: Log messages

    Scenario: The engine says that the workflow has been run
        When the workflow is finished
        Then the engine logs should contain "Final process status is success"

    Scenario: The dice are counted
        When the workflow execution completes
        Then the job logs should contain "The most frequent sum is"
        And the job logs for the "throw" step should contain "Threw the dice 50 times."
