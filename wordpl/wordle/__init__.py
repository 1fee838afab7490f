"""Ordinary Wordle and Fibble: help in a game, the analysis of one, decision trees and the exact optimum."""
