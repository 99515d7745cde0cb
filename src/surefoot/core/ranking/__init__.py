"""Who leads: `tournament` for bounds that change only when their arm is pulled, `scan` for bounds that follow a clock."""
