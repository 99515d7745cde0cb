"""Parts that a user writes: the modules around one or two plain functions (`surefoot.own` registers them)."""
