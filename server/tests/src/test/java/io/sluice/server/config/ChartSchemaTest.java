package io.sluice.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * What the chart takes as {@code config} is what the server takes: {@code $defs.config} of its schema is made from the records
 * and their checks. Run with {@code -Dsluice.docs.write=true} after changing a setting.
 */
class ChartSchemaTest {
    private static final Path SCHEMA = Path.of("..", "..", "helm", "sluice", "values.schema.json");
    private static final ObjectMapper JSON = new ObjectMapper();

    /** The chart gives these itself, so that they fit its services, volumes and secrets, or runs a server that has no use for them. */
    private static final Set<String> OF_THE_CHART = Set.of(
            "cluster.nodeId",
            "internal.host",
            "internal.port",
            "internal.advertisedHost",
            "internal.advertisedPort",
            "internal.secretFile",
            "bookie.address",
            "kafka.host",
            "kafka.port",
            "kafka.advertisedHost",
            "kafka.advertisedPort",
            "kafka.listeners",
            "pulsar.host",
            "pulsar.port",
            "pulsar.advertisedHost",
            "pulsar.advertisedPort",
            "http.host",
            "http.port",
            "http.advertisedHost",
            "http.advertisedPort",
            "http.authorities",
            "security.allowAnonymous",
            "security.tls.certificate",
            "security.tls.key",
            "security.tls.keyPasswordFile",
            "security.initialUsers",
            "tier.s3.accessKeyId",
            "tier.s3.secretAccessKey");

    /** Their bounds are other settings' values, which a schema cannot say; the server checks them. */
    private static final Set<String> LEAST_DEPENDS = Set.of("store.walLimitBytes");

    private static final Set<String> MOST_DEPENDS = Set.of("kafka.maxBatchBytes", "tier.s3.attemptTimeoutMillis");

    private static final Pattern RANGE = Pattern.compile(" is -\\d+, allowed is (-?\\d+) to (-?\\d+)");

    @Test
    void theSchemaSaysWhatTheRecordsSay() throws Exception {
        ObjectNode whole = (ObjectNode) JSON.readTree(Files.readString(SCHEMA));
        ((ObjectNode) whole.get("$defs")).set("config", object("", ServerConfig.class, ServerConfig.defaults()));
        var indent = new DefaultIndenter("  ", "\n");
        String schema = JSON.writer(new DefaultPrettyPrinter()
                                .withObjectIndenter(indent)
                                .withArrayIndenter(indent))
                        .writeValueAsString(whole)
                + "\n";
        if (Boolean.getBoolean("sluice.docs.write")) {
            Files.writeString(SCHEMA, schema);
        }
        assertThat(Files.readString(SCHEMA)).isEqualTo(schema);
    }

    private static ObjectNode object(String path, Class<?> type, Object defaults) throws ReflectiveOperationException {
        ObjectNode schema = JSON.createObjectNode().put("type", "object").put("additionalProperties", false);
        ObjectNode properties = JSON.createObjectNode();
        for (RecordComponent setting : type.getRecordComponents()) {
            String name = path.isEmpty() ? setting.getName() : path + "." + setting.getName();
            if (!OF_THE_CHART.contains(name)) {
                Object value = setting.getAccessor().invoke(defaults);
                ObjectNode property = setting.getType().isRecord()
                        ? object(name, setting.getType(), value)
                        : value(name, setting.getType(), value);
                property.put(
                        "description", setting.getAnnotation(Described.class).value());
                properties.set(setting.getName(), property);
            }
        }
        // No more than the chart's own settings: then the section is not taken at all.
        return properties.isEmpty() ? schema.put("maxProperties", 0) : schema.set("properties", properties);
    }

    private static ObjectNode value(String name, Class<?> type, Object defaultValue) {
        ObjectNode schema = JSON.createObjectNode();
        if (type == boolean.class) {
            return schema.put("type", "boolean");
        }
        if (type == String.class) {
            return schema.put("type", "string");
        }
        if (type.isEnum()) {
            ArrayNode words = schema.putArray("enum");
            for (Object word : type.getEnumConstants()) {
                words.add(word.toString());
            }
            return schema;
        }
        return number(schema.put("type", "integer"), name, type == long.class, defaultValue);
    }

    /** What is far too little is refused with the range. */
    private static ObjectNode number(ObjectNode schema, String name, boolean isLong, Object defaultValue) {
        String yaml = "{" + name.replace(".", ": {") + ": " + (isLong ? Long.MIN_VALUE : Integer.MIN_VALUE)
                + "}".repeat((int) name.chars().filter(c -> c == '.').count() + 1);
        ConfigException refusal =
                catchThrowableOfType(ConfigException.class, () -> ConfigFile.parse(yaml, "far too little"));
        assertThat(refusal).as(name).isNotNull();
        Matcher range = RANGE.matcher(String.valueOf(refusal.getMessage()));
        assertThat(range.find()).as(refusal.getMessage()).isTrue();
        long least = Long.parseLong(range.group(1));
        long most = Long.parseLong(range.group(2));
        ObjectNode bounds = schema;
        if (defaultValue instanceof Number number && number.longValue() < least) { // a value that means "none"
            ArrayNode either = schema.putArray("anyOf");
            either.addObject().put("const", number.longValue());
            bounds = either.addObject();
        }
        if (!LEAST_DEPENDS.contains(name)) {
            bounds.put("minimum", least);
        }
        if (!MOST_DEPENDS.contains(name) && most != Long.MAX_VALUE) {
            bounds.put("maximum", most);
        }
        return schema;
    }
}
