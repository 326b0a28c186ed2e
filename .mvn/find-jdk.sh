# Sourced by ./mvnw and ./sluice (POSIX sh). find_jdk sets JAVA_HOME to a JDK of version 25 or later, or says in one line what to
# install. It reads each candidate's `release` file instead of starting it: a start costs more than the whole search.

jdk_version() { # home -> major version of a complete JDK, or nothing
  [ -x "$1/bin/java" ] && [ -x "$1/bin/javac" ] && [ -r "$1/release" ] || return 0
  sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release"
}

jdk_candidates() {
  [ -z "${JAVA_HOME-}" ] || printf '%s\n' "$JAVA_HOME"
  if command -v java >/dev/null 2>&1; then
    java_path=$(command -v java)
    java_path=$(readlink -f "$java_path" 2>/dev/null || printf '%s' "$java_path")
    printf '%s\n' "${java_path%/bin/java}"
  fi
  for jdk_root in /usr/lib/jvm /usr/java /usr/local/java /opt /opt/java /opt/jdk /Library/Java/JavaVirtualMachines \
    /opt/homebrew/opt /usr/local/opt "${HOME-}/.sdkman/candidates/java" "${HOME-}/.jdks" "${HOME-}/.asdf/installs/java" \
    "${HOME-}/.local/share/mise/installs/java" "${HOME-}/Library/Java/JavaVirtualMachines"; do
    [ -d "$jdk_root" ] || continue
    find "$jdk_root" -mindepth 1 -maxdepth 1 2>/dev/null | while IFS= read -r jdk_home; do
      printf '%s\n%s\n%s\n' "$jdk_home" "$jdk_home/Contents/Home" "$jdk_home/libexec/openjdk.jdk/Contents/Home"
    done
  done
}

find_jdk() {
  JAVA_HOME=$(jdk_candidates | {
    found=
    while IFS= read -r jdk_home; do
      jdk_major=$(jdk_version "$jdk_home")
      [ -n "$jdk_major" ] || continue
      # 25 is what the build is tested with; a later one will do when there is no 25.
      if [ "$jdk_major" -eq 25 ]; then found=$jdk_home; break; fi
      if [ "$jdk_major" -gt 25 ] && [ -z "$found" ]; then found=$jdk_home; fi
    done
    printf '%s' "$found"
  })
  if [ -z "$JAVA_HOME" ]; then
    unset JAVA_HOME
    echo "Sluice needs JDK 25: install one (for example Eclipse Temurin 25, or your system's openjdk-25-jdk package), or set JAVA_HOME to it." >&2
    return 1
  fi
}
