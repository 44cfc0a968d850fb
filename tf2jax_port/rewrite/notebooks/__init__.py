"""Rewrite notebooks: their code cells form one program."""
