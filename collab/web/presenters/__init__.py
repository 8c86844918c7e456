"""What pages say, in words: pure functions from views of the transcript to signs and sentences."""
