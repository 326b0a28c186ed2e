package io.sluice.conformance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a server asked the system to do with the files of its log, as {@code strace} (Debian's package of that name) saw it. */
final class JournalCalls {
    private static final Pattern CALL = Pattern.compile("(\\w+)\\((.*)\\)\\s+= (-?\\d+).*");
    private static final Pattern FILE = Pattern.compile("(\\d+)<([^>]*)>.*");
    private static final Pattern RENAMED = Pattern.compile("\"([^\"]*)\"[^\"]*\"([^\"]*)\".*");
    private static final Set<String> WRITES = Set.of("write", "writev", "pwrite64", "pwritev", "pwritev2");

    /** Flags that files were opened with, by descriptor. */
    private final Map<Integer, String> open = new HashMap<>();

    private final Set<String> unsynced = new HashSet<>();

    /** A file of the journal, and the flags that a descriptor was opened with by which it was written. */
    record Written(String file, String openedWith) {}

    /** How often. */
    final Map<Written, Integer> writes = new LinkedHashMap<>();
    /** Files of the journal that were another file before. */
    final Set<String> overwritten = new HashSet<>();
    /** Copies of ledgers that got their names. */
    final List<String> copies = new ArrayList<>();
    /** Those of them that were not fsynced before. */
    final List<String> unsyncedCopies = new ArrayList<>();

    /** A command that runs the one that follows it, and writes what it asks the system for into the file. */
    static List<String> tracing(Path file) {
        return List.of(
                "strace",
                "--daemonize",
                "--follow-forks",
                "--seccomp-bpf",
                "--decode-fds=path",
                "--string-limit=256",
                "--quiet=attach,personality",
                "--signal=none",
                "--trace=openat,rename,renameat,renameat2,fsync,fdatasync," + String.join(",", WRITES),
                "--output=" + file);
    }

    private JournalCalls() {}

    /** @param trace of a server that has ended */
    static JournalCalls in(Path trace) throws IOException {
        var calls = new JournalCalls();
        Map<String, String> begun = new HashMap<>();
        for (String line : Files.readAllLines(trace)) {
            String[] parts = line.split(" +", 2);
            String thread = parts[0];
            String call = parts[1];
            if (call.endsWith("<unfinished ...>")) {
                begun.put(thread, call.substring(0, call.length() - "<unfinished ...>".length()));
                continue;
            }
            if (call.startsWith("<... ")) {
                call = begun.getOrDefault(thread, "") + call.substring(call.indexOf("resumed>") + "resumed>".length());
            }
            Matcher matcher = CALL.matcher(call);
            if (matcher.matches()) {
                calls.returned(matcher.group(1), matcher.group(2), Integer.parseInt(matcher.group(3)));
            }
        }
        return calls;
    }

    private void returned(String call, String arguments, int result) {
        if (result < 0) {
            return;
        }
        if (call.equals("openat")) {
            open.put(result, arguments.substring(arguments.lastIndexOf("\", ") + 3));
        } else if (call.startsWith("rename")) {
            Matcher names = RENAMED.matcher(arguments);
            if (names.matches()) {
                renamed(names.group(1), names.group(2));
            }
        } else {
            Matcher file = FILE.matcher(arguments);
            if (file.matches()) {
                touched(call, Integer.parseInt(file.group(1)), file.group(2));
            }
        }
    }

    private void renamed(String from, String to) {
        if (to.endsWith(".txn")) {
            overwritten.add(to);
        } else if (to.endsWith(".kept")) {
            copies.add(to);
            if (unsynced.remove(from)) {
                unsyncedCopies.add(to);
            }
        }
    }

    private void touched(String call, int descriptor, String file) {
        boolean writes = WRITES.contains(call);
        if (writes && file.endsWith(".txn")) {
            this.writes.merge(new Written(file, open.getOrDefault(descriptor, "nobody knows")), 1, Integer::sum);
        } else if (writes) {
            unsynced.add(file);
        } else {
            unsynced.remove(file);
        }
    }
}
