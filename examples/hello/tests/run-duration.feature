Feature: Run duration

    As a researcher,
    I want the smallest analysis to be over soon,
    so that I can see at once that all works.

    Scenario: The run is short
        When the workflow is finished
        Then the workflow run duration should be less than 5 minutes
        And the duration of the step "greet" should be less than 2 minutes
