"""How a block state looks: textures made in code, tints, models, and the tables the mesh kernel reads."""
