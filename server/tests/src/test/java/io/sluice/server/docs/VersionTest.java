package io.sluice.server.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.pulsar.config.PulsarGatewayConfig;
import io.sluice.server.version.Version;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Poms, chart, answers, example and changelog name one version: that of the build. */
class VersionTest {
    private static final String BUILD = Version.number();
    private static final String RELEASE = BUILD.replace("-SNAPSHOT", "");
    private static final Pattern OWN_VERSION =
            Pattern.compile("<artifactId>sluice[a-z-]*</artifactId>\\s*<version>([^<]+)</version>");

    @Test
    void everyPomHasTheVersionOfTheBuild() throws IOException {
        assertThat(Repository.poms()).hasSizeGreaterThan(10);
        for (Path pom : Repository.poms()) {
            var found = OWN_VERSION.matcher(Files.readString(pom).replaceAll("(?s)<dependencyManagement>.*", ""));
            assertThat(found.find()).as("a version in %s", pom).isTrue();
            assertThat(found.group(1)).as(pom.toString()).isEqualTo(BUILD);
        }
    }

    @Test
    void theChartInstallsTheImageOfTheBuild() throws IOException {
        assertThat(Repository.lines("helm/sluice/Chart.yaml"))
                .contains("version: " + RELEASE)
                .contains("appVersion: " + BUILD);
    }

    @Test
    void clientsAndReadersAreToldTheVersion() throws IOException {
        assertThat(PulsarGatewayConfig.SERVER_VERSION).isEqualTo("Sluice-" + RELEASE);
        assertThat(Repository.read("testcontainers/README.md")).contains("\"sluice:" + BUILD + "\"");
    }

    @Test
    void theChangelogHasTheReleaseUnderWhatComesNext() throws IOException {
        var releases = Repository.lines("CHANGELOG.md").stream()
                .filter(line -> line.startsWith("## "))
                .toList();
        assertThat(releases.get(0)).isEqualTo("## Unreleased");
        assertThat(releases.get(1)).startsWith("## " + RELEASE + " - ");
    }

    /** Of releases; what comes next is put in order when it is released. */
    @Test
    void aReleaseSaysAddedChangedOrFixedInOneLineEach() throws IOException {
        List<String> lines = Repository.lines("CHANGELOG.md");
        int newest = lines.lastIndexOf("## Unreleased") + 1;
        while (!lines.get(newest).startsWith("## ")) {
            newest++;
        }
        for (String line : lines.subList(newest, lines.size())) {
            assertThat(line.length()).as(line).isLessThanOrEqualTo(150);
            assertThat(line)
                    .matches(
                            "|## .*|The first release.*|### (Added|Changed|Deprecated|Removed|Fixed|Security)|- \\S.*");
        }
    }
}
