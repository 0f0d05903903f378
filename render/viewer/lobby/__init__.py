"""The connect screen, and what happens when one goes from world to world in one window.

screen       what is typed and selected      text_field   one line with a caret
lists        its sections                    recent       what was joined, kept in a file
places       worlds and recordings found     plan         where all of it comes from
attempt      one join, begun to done         room         all of it in a window, alive
painter      with imgui, or as text          first        the screen before there is a world
crossing     from one world to the next      visit        the connection that is shown
banner       a card over the world: lost, joining
"""
