"""The depot's backend."""
