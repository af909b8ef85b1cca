"""How explanations look: as text (`text`), as pictures and pages (`picture`; `cards`, without lines between them), and saved."""
