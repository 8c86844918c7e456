"""The faces of Earshot: pages, API, sockets, commands, admin, and the processes that carry them."""
