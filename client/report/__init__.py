"""Reports about a world: records, dumps, and why a place is as it is.

diff         ``diff``: two worlds compared, sub-chunk by sub-chunk
dump         ``dump``: everything a server says about a box, as one .npz file (interfaces.md, "dump")
entities     What a server does with entities: who is there, and what should not be
find         ``find``: where the blocks, or the block entities, of a name are
health       ``health``: what is wrong with a source, by kind
join         ``join``: the steps of a join, and which one is missing or wrong
packets      ``packets``: the packets of a recording, field by field; requests with their answers
record       ``record``: a session written to a file from its first packet, until it is settled or long enough
why          ``why``: the life of the sub-chunk that holds a block
why_facts    What ``why`` gathers: everything that is known of one block's sub-chunk
why_text     Decides why a place is as it is, and says it in one plain sentence
"""
