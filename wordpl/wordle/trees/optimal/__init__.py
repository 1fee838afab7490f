"""The optimal tree, exactly: branch and bound over decision trees.

The ideas are Alex Selby's ("The best strategies for Wordle", sonorouschocolate.com, 2022); the code is
this project's own. `solve_tree` is the way in.
"""
