Feature: Run duration

    Scenario: The run is short
        When the workflow status is finished
        Then the workflow run duration should be less than 10 minutes
        And the duration of the step "throw" should be less than 5 minutes
