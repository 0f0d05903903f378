"""Reports about a world: differences, dumps, problems, joins, packets, and why a place is as it is.

diff         ``diff``: compares two worlds, sub-chunk by sub-chunk
dump         ``dump``: writes all known data of a box to an .npz file (interfaces.md, "dump")
entities     Lists the entities, and the server's faults in packets about them
find         ``find``: finds blocks, or block entities, by name
health       ``health``: lists what is wrong with a source, by kind
join         ``join``: the steps of a join, and the missing or wrong one
packets      ``packets``: the packets of a recording, field by field; requests with their answers
record       ``record``: writes a session to a file from its first packet, until it is settled or for some time
why          ``why``: waits until a place is settled, and collects its state and history
why_facts    The values that ``why`` collects of one block's sub-chunk
why_text     Why a place is empty: decides the reason from the facts, in one plain sentence, and words the details
"""
