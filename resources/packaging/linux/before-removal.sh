#!/bin/sh
# Before the package is removed, not before an upgrade: `causeway uninstall` for each user who has a folder of Causeway's. It
# ends the application, and takes its entries out of the AI clients' files, which would start a program that is gone. Whatever
# comes of it, the package is removed.
set -e

# dpkg says "remove", rpm how many versions are left.
case "$*" in
  remove | 0) ;;
  *) exit 0 ;;
esac

# An organization's policy may forbid users to remove Causeway. It does not bind the administrator: while this process runs,
# the mark says that they remove it (docs/policy.md).
mark() {
  umask 022
  rm -rf /run/causeway
  mkdir /run/causeway
  echo $$ >/run/causeway/removal
}
trap 'rm -rf /run/causeway' EXIT
trap 'exit 1' HUP INT TERM
mark || echo 'If a policy forbids users to remove Causeway, their files stay.'

# A directory service need not list its accounts: those who are logged in, and who has asked for this, are looked up.
accounts() {
  getent passwd || true
  for runtime in /run/user/*; do getent passwd "${runtime##*/}" || true; done
  [ -z "$SUDO_USER" ] || getent passwd "$SUDO_USER" || true
}

cd /
accounts | sort -u | while IFS=: read -r user _ uid _ _ home _; do
  for folder in .config/causeway .config/Causeway .local/state/causeway .causeway; do
    # Nobody's but the user's own: service accounts share a home folder.
    [ "$(stat -c %u "$home/$folder" 2>/dev/null)" = "$uid" ] || continue
    echo "Removing what Causeway has left for $user:"
    runtime=/run/user/$uid
    set -- HOME="$home" USER="$user" LOGNAME="$user" PATH=/usr/bin:/bin LANG=C.UTF-8
    # The user's keychain, where they are logged in.
    if [ -S "$runtime/bus" ]; then
      set -- "$@" XDG_RUNTIME_DIR="$runtime" DBUS_SESSION_BUS_ADDRESS="unix:path=$runtime/bus"
    fi
    # In a session of its own, what runs as the user cannot write to the administrator's terminal as if it were typed there.
    timeout -k 5 60 setsid runuser -u "$user" -- env -i "$@" /usr/bin/causeway uninstall --yes --force </dev/null 2>&1 ||
      echo "Not all of it was removed. To try again, install Causeway and run, as $user: causeway uninstall --yes"
    break
  done
done || true
[ ! -e /etc/causeway/policy.json ] || echo 'The policy of your organization stays: /etc/causeway/policy.json'
exit 0
