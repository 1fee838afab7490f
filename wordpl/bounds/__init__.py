"""What nobody can pass: the converse, free codes, word-list bounds and privacy accounting."""
