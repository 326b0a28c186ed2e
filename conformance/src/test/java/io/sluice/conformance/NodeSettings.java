package io.sluice.conformance;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.sluice.conformance.clients.ReservedPorts;
import java.io.UncheckedIOException;
import java.util.Map;

/** Settings of a server, in YAML, that are put together from those of a test and of the place where it runs. */
final class NodeSettings {
    private static final ObjectMapper YAML = new YAMLMapper().disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER);

    private NodeSettings() {}

    static JsonNode read(String settings) {
        try {
            return settings.isBlank() ? YAML.createObjectNode() : YAML.readTree(settings);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Both, and of those with the same names the second. */
    static String merged(String settings, String over) {
        try {
            JsonNode merged = read(settings);
            if (!over.isBlank()) {
                YAML.readerForUpdating(merged).readTree(over);
            }
            return text(merged);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** With the ports, and with an address where the settings have none. Whoever comes may do everything unless they have {@code security}. */
    static String listening(String settings, String host, SluiceServer.Ports ports) {
        var complete = (ObjectNode) read(settings);
        Map.of("kafka", ports.kafka(), "pulsar", ports.pulsar(), "http", ports.http())
                .forEach((listener, port) -> {
                    ObjectNode section = complete.withObjectProperty(listener).put("port", port);
                    if (!section.has("host")) {
                        section.put("host", host);
                    }
                });
        if (!complete.has("security")) {
            complete.putObject("security").put("allowAnonymous", true);
        }
        return text(complete);
    }

    /** For another node on this machine: listeners beside the first of a protocol have ports of their own. */
    static String withFreePorts(String settings) {
        JsonNode another = read(settings);
        for (JsonNode listener : another.findValues("listeners")) {
            listener.forEach(each -> ((ObjectNode) each).put("port", ReservedPorts.next()));
        }
        return text(another);
    }

    private static String text(JsonNode settings) {
        try {
            return YAML.writeValueAsString(settings);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }
}
