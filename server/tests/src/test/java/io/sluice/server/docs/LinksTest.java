package io.sluice.server.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Links from one document of the repository to another, and to a heading in it, lead somewhere; so do the documents that code names. */
class LinksTest {
    private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
    private static final Pattern NAMED_IN_CODE = Pattern.compile("docs/[a-z0-9/.-]+\\.md");

    @Test
    void linksOfDocumentsLeadSomewhere() throws IOException {
        List<Path> documents = Repository.files(".md");
        assertThat(documents).hasSizeGreaterThan(80);
        List<String> broken = new ArrayList<>();
        for (Path document : documents) {
            var links = LINK.matcher(withoutCode(Files.readString(document)));
            while (links.find()) {
                if (!leadsSomewhere(document, links.group(1))) {
                    broken.add(document + ": " + links.group(1));
                }
            }
        }
        assertThat(broken).isEmpty();
    }

    @Test
    void documentsThatCodeNamesAreThere() throws IOException {
        List<String> missing = new ArrayList<>();
        for (Path source : Repository.files(".java")) {
            NAMED_IN_CODE
                    .matcher(Files.readString(source))
                    .results()
                    .filter(name -> !Files.exists(Repository.path(name.group())))
                    .forEach(name -> missing.add(source.getFileName() + ": " + name.group()));
        }
        assertThat(missing).isEmpty();
    }

    private static boolean leadsSomewhere(Path document, String link) throws IOException {
        if (link.contains("://") || link.startsWith("mailto:")) {
            return true;
        }
        int sharp = link.indexOf('#');
        String file = URLDecoder.decode(sharp < 0 ? link : link.substring(0, sharp), StandardCharsets.UTF_8);
        Path target = file.isEmpty() ? document : document.resolveSibling(file).normalize();
        return Files.exists(target) && (sharp < 0 || headings(target).contains(link.substring(sharp + 1)));
    }

    /** Headings as a page's anchors: lower case, spaces as hyphens, neither marks nor punctuation. */
    private static Set<String> headings(Path document) throws IOException {
        Set<String> anchors = new HashSet<>();
        for (String line : withoutCode(Files.readString(document)).split("\n")) {
            if (line.startsWith("#")) {
                anchors.add(line.replaceFirst("^#+ ", "")
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N}_ -]", "")
                        .replace(' ', '-'));
            }
        }
        return anchors;
    }

    private static String withoutCode(String text) {
        return text.replaceAll("(?ms)^ *```.*?^ *```", "").replaceAll("(?m)^    \\S.*$", "");
    }
}
