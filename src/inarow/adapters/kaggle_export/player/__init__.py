"""The modules of an exported file: plain Python, joined by `exporters.assemble`.

Each module imports only the standard library (`net` also NumPy) and other modules of this folder,
those by `from ... import name`. Names are unique across the folder, since they end up in one file.
"""
