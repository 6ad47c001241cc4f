# SPDX-License-Identifier: GPL-3.0-or-later
"""The tree of a program's controls by one message of AT-SPI's cache: asked node by node it takes seconds."""
import gi
gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, Gio, GLib  # noqa: E402

ROOT = "/org/a11y/atspi/accessible/root"
VISIBLE, FOCUSED = 1 << 30, 1 << 12  # of the first word of states
WINDOW_COORDS = 1


def connect(session_bus):
    """The accessibility bus of a session."""
    def open_bus(address):
        return Gio.DBusConnection.new_for_address_sync(
            address, Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION, None, None)
    reply = open_bus(session_bus).call_sync("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress", None, None,
                                            Gio.DBusCallFlags.NONE, 20000, None)
    return open_bus(reply.unpack()[0])


def child_of(node, guess, path):
    """The child at that path, most likely where it is guessed to be."""
    for place in (guess, *range(node.childCount)):
        child = node.getChildAtIndex(place)
        if child is not None and child.path == path:
            return child
    return None


class Item:
    """A control as the cache tells it."""

    def __init__(self, path, parent, index, n_children, interfaces, name, role, states):
        self.path, self.parent, self.index, self.n_children, self.name = path, parent, index, n_children, name
        self.role = Atspi.role_get_name(Atspi.Role(role))
        self.has_box = "org.a11y.atspi.Component" in interfaces
        self.visible = path == ROOT or bool(states[0] & VISIBLE)
        self.focused = bool(states[0] & FOCUSED)
        self.children = []

    def is_whole(self):
        """Whether what is known of it is what is shown: GTK calls visible what a hidden box holds, and keeps it."""
        return [child.index for child in self.children if child.visible] == list(range(self.n_children))


class Tree:
    """What a program's controls are at one moment."""

    def __init__(self, connection, root, nodes):
        """`nodes` keeps, by path, what was reached before."""
        self.connection, self.bus_name, self.nodes = connection, root.app.bus_name, nodes
        nodes[ROOT] = root
        self.items = self.known()
        children = self.ask_children([item.path for item in self.items.values() if item.visible and not item.is_whole()])
        if any(child not in self.items for paths in children.values() for child in paths):
            self.items = self.known()
        for path, paths in children.items():
            if path in self.items:
                self.items[path].children = [self.items[child] for child in paths if child in self.items]

    def known(self):
        """GTK puts a control into its cache only once somebody has asked for it."""
        reply = self.connection.call_sync(self.bus_name, "/org/a11y/atspi/cache", "org.a11y.atspi.Cache", "GetItems", None,
                                          None, Gio.DBusCallFlags.NONE, 20000, None)
        items = {}
        for (_, path), _, (_, parent), index, n_children, interfaces, name, role, _, states in reply.unpack()[0]:
            items[path] = Item(path, parent, index, n_children, interfaces, name, role, states)
        for item in items.values():
            if item.parent in items:
                items[item.parent].children.append(item)
        for item in items.values():
            item.children.sort(key=lambda child: child.index)
        return items

    def ask_children(self, paths):
        """What is shown in these, and in what is new of that."""
        children = {}

        def ask(path):
            children[path] = []
            return path, "org.a11y.atspi.Accessible", "GetChildren", None

        def told(path, answer):
            children[path] = [child for _, child in answer]
            return [ask(child) for child in children[path] if child not in self.items and child not in children]
        self.ask_all([ask(path) for path in paths], told)
        return children

    def ask_all(self, calls, told):
        """Sends all at once; `told` is given each answer, and may name further calls. No answer where a control went away."""
        waiting = []

        def send(path, interface, method, arguments):
            waiting.append(path)
            self.connection.call(self.bus_name, path, interface, method, arguments, None, Gio.DBusCallFlags.NONE, 20000, None,
                                 answered, path)

        def answered(connection, result, path):
            waiting.remove(path)
            try:
                answer = connection.call_finish(result).unpack()[0]
            except GLib.Error:
                return
            for call in told(path, answer) or ():
                send(*call)
        for call in calls:
            send(*call)
        while waiting:
            GLib.MainContext.default().iteration(True)

    def walk(self, path=ROOT):
        """From the top down, without what is hidden and what is in it; what was never laid out is not told apart."""
        stack = [self.items[path]] if path in self.items else []
        while stack:
            item = stack.pop()
            if item.visible:
                yield item
                stack.extend(reversed(item.children))

    def laid_out(self, items, inner=False):
        """Those that have a size; what has something in it is asked for its own only if `inner`."""
        sizes = {item.path: 0 for item in items if item.has_box and (inner or not item.children)}

        def told(path, box):
            sizes[path] = box[2]
        self.ask_all([(path, "org.a11y.atspi.Component", "GetExtents", GLib.Variant("(u)", (WINDOW_COORDS,)))
                      for path in sizes], told)
        return [item for item in items if sizes.get(item.path, 1) > 0]

    def accessible(self, item):
        """The control itself, down from the root; None where it went away."""
        places = []
        while item.path not in self.nodes:
            above = self.items[item.parent]
            places.append((above.children.index(item), item.path))  # what GTK calls its index is not always this
            item = above
        node = self.nodes[item.path]
        for place, path in reversed(places):
            node = child_of(node, place, path)
            if node is None:
                return None
            self.nodes[path] = node
        return node
