"""What is known of rewards: the model of all arms (`models`), distributions, and where one arm's come from (`sources`)."""
