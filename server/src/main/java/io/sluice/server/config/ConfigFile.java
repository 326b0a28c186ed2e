package io.sluice.server.config;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.exc.InvalidFormatException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads YAML files, and single settings, over the defaults. Unknown keys and wrong values are {@link ConfigException}s of one line. */
public final class ConfigFile {
    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory())
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT);

    private ConfigFile() {}

    public static ServerConfig read(Path file) {
        return read(null, file, List.of());
    }

    /**
     * @param defaults file of an installation's own defaults
     * @param file wins over them
     * @param single {@code key=value}, which win over both
     */
    public static ServerConfig read(@Nullable Path defaults, @Nullable Path file, List<String> single) {
        return read(ServerConfig.class, ServerConfig.defaults(), defaults, file, single);
    }

    /**
     * Settings of a program that has others than the server.
     *
     * @param file wins over {@code base}
     * @param single {@code key=value}, which win over both
     */
    public static <T> T read(Class<T> type, T base, @Nullable Path file, List<String> single) {
        return read(type, base, null, file, single);
    }

    private static <T> T read(
            Class<T> type, T base, @Nullable Path defaults, @Nullable Path file, List<String> single) {
        ObjectNode settings = YAML.valueToTree(base);
        List<String> given = new ArrayList<>();
        if (defaults != null) {
            merge(settings, given(text(defaults), defaults.toString()));
        }
        if (file != null) {
            merge(settings, given(text(file), file.toString()));
            given.add(file.toString());
        }
        for (String setting : single) {
            merge(settings, SingleSetting.parse(setting));
        }
        if (!single.isEmpty()) {
            given.add("--set");
        }
        return checked(type, settings, given.isEmpty() ? "settings" : String.join(" and ", given));
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (NoSuchFileException e) {
            throw new ConfigException(file + " does not exist: give --config an existing file");
        } catch (IOException e) {
            throw new ConfigException("cannot read " + file + ": " + e.getMessage());
        }
    }

    /** @param origin what to call the text in messages */
    public static ServerConfig parse(String yaml, String origin) {
        ObjectNode settings = YAML.valueToTree(ServerConfig.defaults());
        merge(settings, given(yaml, origin));
        return checked(ServerConfig.class, settings, origin);
    }

    private static ObjectNode given(String yaml, String origin) {
        try {
            JsonNode given = YAML.readTree(yaml);
            if (given == null || given.isMissingNode() || given.isNull()) {
                return YAML.createObjectNode();
            }
            if (given instanceof ObjectNode settings) {
                return settings;
            }
            throw new ConfigException(origin + " is not a list of settings (key: value)");
        } catch (IOException e) {
            throw new ConfigException(origin + ": " + line(e));
        }
    }

    private static <T> T checked(Class<T> type, ObjectNode settings, String origin) {
        try {
            return YAML.treeToValue(settings, type);
        } catch (IOException e) {
            throw new ConfigException(origin + ": " + line(e));
        }
    }

    /** Lays {@code given} over {@code base}, object by object, so that a file names only what differs. */
    private static void merge(ObjectNode base, ObjectNode given) {
        given.properties().forEach(property -> {
            JsonNode below = base.get(property.getKey());
            if (below instanceof ObjectNode inner && property.getValue() instanceof ObjectNode over) {
                merge(inner, over);
            } else {
                base.set(property.getKey(), property.getValue());
            }
        });
    }

    private static String line(IOException e) {
        return switch (e) {
            case UnrecognizedPropertyException unknown ->
                "unknown setting "
                        + path(unknown)
                        + ", known here: "
                        + unknown.getKnownPropertyIds().stream()
                                .map(Object::toString)
                                .sorted()
                                .collect(Collectors.joining(", "));
            case InvalidFormatException wrong ->
                path(wrong) + " is '" + wrong.getValue() + "', expected " + expected(wrong.getTargetType());
            case MismatchedInputException wrong -> path(wrong) + " has a value of the wrong kind";
            case JsonMappingException mapping
            when mapping.getCause() instanceof ConfigException config -> String.valueOf(config.getMessage());
            case JsonMappingException mapping -> path(mapping) + ": " + firstLine(mapping.getOriginalMessage());
            case JsonProcessingException syntax ->
                "not YAML at line " + syntax.getLocation().getLineNr() + ": " + firstLine(syntax.getOriginalMessage());
            default -> firstLine(String.valueOf(e.getMessage()));
        };
    }

    private static String expected(Class<?> type) {
        return type.isEnum()
                ? Arrays.stream(type.getEnumConstants()).map(Object::toString).collect(Collectors.joining(" or "))
                : type.getSimpleName();
    }

    private static String path(JacksonException e) {
        if (!(e instanceof JsonMappingException mapping)) {
            return "";
        }
        return mapping.getPath().stream()
                .map(reference -> String.valueOf(reference.getFieldName()))
                .collect(Collectors.joining("."));
    }

    private static String firstLine(String text) {
        return text.lines().findFirst().orElse("");
    }
}
