"""Everything killed at random, and afterwards everybody's account of it laid side by side.

`plan` says who is killed when; `fleet` starts, kills and brings back; `clients` post and `ears` listen meanwhile;
`facts` reads what is kept; `reconcile` compares, and is tested by itself in `test_reconcile`.
"""
