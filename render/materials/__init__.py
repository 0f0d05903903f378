"""How a block state looks: textures made in code, tints, models, and the tables the mesh kernel reads.

biome_tints     What a face takes beside its texture: a colour of the biome (``assets/biomes.toml``), and single bits
canvas          What painters share: colours, pictures and the few marks they are made of
face_recipes    Block states -> material words and the recipe of each face
font            Our bitmap font: 5 x 7 texels a character
materials       The look of every block state of a session: texture layers, tints and marks, and how many find room
packs/          Bedrock resource packs from the user's disk: other pictures for blocks, read with distrust
paint_building  Painters of what is built: bricks, tiles, glass, cloth, lamps, machines, furniture
paint_devices   Painters of devices: a worked ground that carries a sign (``glyphs``)
paint_moving    Painters of what moves: liquids, fire, portals
paint_plants    Painters of sprites: plants, torches, webs
paint_terrain   Painters of what the ground is made of: rock, earth, sand, snow, ice, ores
painters        Painters by the names that ``assets/textures.toml`` uses, and which of them move
"""
