#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A desktop's session manager and notifications, as far as an application asks them: desktop-services.py LOG

Writes a line for what it is asked: `inhibit REASON`, `uninhibit`, `notify TITLE | BODY`. When LOG.press appears, the last
notification's action of that name is pressed.
"""
import os
import sys

from gi.repository import Gio, GLib

LOG = sys.argv[1]
XML = """
<node><interface name='org.freedesktop.Notifications'>
  <method name='Notify'><arg type='s'/><arg type='u'/><arg type='s'/><arg type='s'/><arg type='s'/><arg type='as'/>
    <arg type='a{sv}'/><arg type='i'/><arg type='u' direction='out'/></method>
  <method name='CloseNotification'><arg type='u'/></method>
  <method name='GetCapabilities'><arg type='as' direction='out'/></method>
  <method name='GetServerInformation'><arg type='s' direction='out'/><arg type='s' direction='out'/>
    <arg type='s' direction='out'/><arg type='s' direction='out'/></method>
  <signal name='ActionInvoked'><arg type='u'/><arg type='s'/></signal>
</interface>
<interface name='org.gnome.SessionManager'>
  <method name='RegisterClient'><arg type='s'/><arg type='s'/><arg type='o' direction='out'/></method>
  <method name='Inhibit'><arg type='s'/><arg type='u'/><arg type='s'/><arg type='u'/><arg type='u' direction='out'/></method>
  <method name='Uninhibit'><arg type='u'/></method>
  <method name='UnregisterClient'><arg type='o'/></method>
</interface>
<interface name='org.gnome.SessionManager.ClientPrivate'>
  <method name='EndSessionResponse'><arg type='b'/><arg type='s'/></method>
</interface></node>
"""
CLIENT = "/org/gnome/SessionManager/Client1"


def say(line):
    with open(LOG, "a", encoding="utf-8") as file:
        file.write(line + "\n")


def on_call(bus, sender, path, interface, method, arguments, call):
    given = arguments.unpack()
    answer = None
    if method == "Inhibit":
        say("inhibit " + given[2])
        answer = GLib.Variant("(u)", (7,))
    elif method == "Uninhibit":
        say("uninhibit")
    elif method == "RegisterClient":
        answer = GLib.Variant("(o)", (CLIENT,))
    elif method == "Notify":
        say("notify %s | %s" % (given[3], given[4]))
        answer = GLib.Variant("(u)", (1,))
    elif method == "GetCapabilities":
        answer = GLib.Variant("(as)", (["actions", "body"],))
    elif method == "GetServerInformation":
        answer = GLib.Variant("(ssss)", ("test", "test", "1", "1.2"))
    call.return_value(answer)


def press(bus):
    """The end of a press is that its file is gone."""
    if os.path.exists(LOG + ".press"):
        with open(LOG + ".press", encoding="utf-8") as file:
            name = file.read().strip()
        os.remove(LOG + ".press")
        bus.emit_signal(None, "/org/freedesktop/Notifications", "org.freedesktop.Notifications", "ActionInvoked",
                        GLib.Variant("(us)", (1, name)))
    return True


def main():
    bus = Gio.bus_get_sync(Gio.BusType.SESSION)
    node = Gio.DBusNodeInfo.new_for_xml(XML)
    for path, interface in (("/org/freedesktop/Notifications", 0), ("/org/gnome/SessionManager", 1), (CLIENT, 2)):
        bus.register_object(path, node.interfaces[interface], on_call, None, None)
    for name in ("org.freedesktop.Notifications", "org.gnome.SessionManager"):
        Gio.bus_own_name_on_connection(bus, name, Gio.BusNameOwnerFlags.NONE, None, None)
    GLib.timeout_add(200, press, bus)
    GLib.timeout_add(500, lambda: say("ready"))
    GLib.MainLoop().run()


main()
