"""How a block state looks: textures made in code, tints, models, and the tables the mesh kernel reads.

biome_tints     Biome tint colours of faces (``assets/biomes.toml``), and the flag bits of faces
canvas          Drawing functions that all painters use: noise, colours, shapes, mip levels
face_recipes    Block states -> material words and the recipe of each face
font            Our bitmap font: 5 x 7 texels a character
materials       The look of every block state of a session: texture layers, tints and flags, and the limits of textures
packs/          Bedrock resource packs from the user's disk: pictures that replace ours; their content is not trusted
paint_building  Painters of building blocks: bricks, tiles, glass, cloth, lamps, machines, furniture
paint_devices   Painters of devices: a framed ground with a glyph
paint_moving    Painters of animated textures: liquids, fire, portals
paint_plants    Painters of sprites: plants, torches, webs
paint_terrain   Painters of terrain and wood: rock, earth, sand, snow, ice, ores, planks, bark, leaves
painters        Painters by the names that ``assets/textures.toml`` uses, and which of them are animated
"""
