"""What must never be so, looked for while a world is shown: a count for each, and places to look at.

    finding  what a check says
    asking   questions asked twice, answers that nobody asked for
    drawing  stored and not drawn, pages of the arena that nobody holds
    heights  height maps that contradict their blocks
    light    light that does not go on across a border
    watch    all of them in turn, a little each frame

Each has a test that plants what it looks for. A check reads and changes nothing; it knows no window.
"""
