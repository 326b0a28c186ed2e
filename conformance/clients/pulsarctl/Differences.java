import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Prints each command of two transcripts whose output differs, with the lines that only one of them has, and how many are the same. */
class Differences {
    private static final int SHOWN = 20;

    static void main(String[] files) throws IOException {
        List<List<String>> theirs = commands(files[0]);
        List<List<String>> ours = commands(files[1]);
        if (theirs.size() != ours.size()) {
            throw new IOException(theirs.size() + " commands there, " + ours.size() + " here");
        }
        int same = 0;
        for (int i = 0; i < ours.size(); i++) {
            if (theirs.get(i).equals(ours.get(i))) {
                same++;
                continue;
            }
            System.out.println(ours.get(i).getFirst());
            show("- ", theirs.get(i), ours.get(i));
            show("+ ", ours.get(i), theirs.get(i));
        }
        System.out.println(same + " of " + ours.size() + " the same");
    }

    private static List<List<String>> commands(String file) throws IOException {
        List<List<String>> all = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of(file))) {
            if (line.startsWith("$ ")) {
                all.add(new ArrayList<>());
            }
            if (!all.isEmpty()) {
                all.getLast().add(line);
            }
        }
        return all;
    }

    private static void show(String sign, List<String> lines, List<String> others) {
        lines.stream().filter(line -> !others.contains(line)).limit(SHOWN).forEach(line -> System.out.println(sign + line));
    }
}
