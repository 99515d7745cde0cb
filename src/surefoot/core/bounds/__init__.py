"""Mean bounds: one arm's evidence in, an interval for its mean out. Two modules to read side by side:

`sharp` for bounds that change only when their arm is pulled, `paper` for bounds that also follow a clock.
"""
