package io.sluice.image;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The list of jars in the image, for tools that look for known vulnerabilities. */
class PartsTest {
    private static final Path ROOT = Path.of("target/root/server/opt/sluice");
    private static final Path LIBRARIES = Path.of("../server/target/dist/lib");
    private static final Pattern CLASSIFIER = Pattern.compile("classifier=([^&]+)");

    @Test
    void everyJarOfTheServerIsListed() throws Exception {
        JsonNode list = new ObjectMapper().readTree(ROOT.resolve("sbom.json").toFile());
        assertThat(list.path("bomFormat").asText()).isEqualTo("CycloneDX");
        Set<String> listed = new HashSet<>();
        listed.add(jar(list.at("/metadata/component")));
        list.path("components").forEach(each -> listed.add(jar(each)));
        try (var files = Files.list(LIBRARIES)) {
            assertThat(files.map(Path::toFile).map(File::getName)).isNotEmpty().allMatch(listed::contains);
        }
    }

    private static String jar(JsonNode component) {
        Matcher classifier = CLASSIFIER.matcher(component.path("purl").asText());
        return component.path("name").asText() + '-' + component.path("version").asText()
                + (classifier.find() ? '-' + classifier.group(1) : "") + ".jar";
    }
}
