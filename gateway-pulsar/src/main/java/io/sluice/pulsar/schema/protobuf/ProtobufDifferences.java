package io.sluice.pulsar.schema.protobuf;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.Type;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.OneofDescriptor;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Changes of a file that break readers, by the rules of Confluent's registry: messages are compared by name and fields by number. Field names,
 * enums, services and the order of messages are free, and so are fields that come and go, unless they are required. A type may become another
 * that is written the same way. What was independent may not come to exclude each other in a oneof.
 */
final class ProtobufDifferences {
    private static final int MOST = 100;

    private record Pair(String writer, String reader) {}

    private final FileDescriptor writerFile;
    private final FileDescriptor readerFile;
    private final List<String> found = new ArrayList<>();
    private final Set<Pair> compared = new HashSet<>();

    private ProtobufDifferences(FileDescriptor writerFile, FileDescriptor readerFile) {
        this.writerFile = writerFile;
        this.readerFile = readerFile;
    }

    /** Each as {@code KIND at #/Message/field number: text}, of which the kind is that of Confluent's registry. */
    static List<String> between(FileDescriptor writer, FileDescriptor reader) {
        ProtobufDifferences differences = new ProtobufDifferences(writer, reader);
        if (!writer.getPackage().equals(reader.getPackage())) {
            differences.add(
                    "PACKAGE_CHANGED", "#", "package " + writer.getPackage() + " became " + reader.getPackage());
        }
        differences.messages(writer.getMessageTypes(), reader.getMessageTypes(), "#");
        return differences.found;
    }

    private void add(String kind, String path, String text) {
        if (found.size() < MOST) {
            found.add(kind + " at " + path + ": " + text);
        }
    }

    private void messages(List<Descriptor> writer, List<Descriptor> reader, String path) {
        Map<String, Descriptor> now = reader.stream()
                .filter(each -> !each.getOptions().getMapEntry())
                .collect(Collectors.toMap(Descriptor::getName, Function.identity()));
        for (Descriptor before : writer) {
            if (before.getOptions().getMapEntry()) {
                continue;
            }
            String at = path + '/' + before.getName();
            Descriptor after = now.get(before.getName());
            if (after == null) {
                add("MESSAGE_REMOVED", at, "the message is gone");
            } else {
                message(before, after, at);
                messages(before.getNestedTypes(), after.getNestedTypes(), at);
            }
        }
    }

    private void message(Descriptor writer, Descriptor reader, String path) {
        if (!compared.add(new Pair(writer.getFullName(), reader.getFullName()))) {
            return;
        }
        for (FieldDescriptor before : writer.getFields()) {
            String at = path + '/' + before.getNumber();
            FieldDescriptor after = reader.findFieldByNumber(before.getNumber());
            if (after != null) {
                field(before, after, at);
            } else if (before.isRequired()) {
                add("REQUIRED_FIELD_REMOVED", at, "required field " + before.getName() + " is gone");
            } else if (isMissedIn(before, reader)) {
                add("ONEOF_FIELD_REMOVED", at, "field " + before.getName() + " of a oneof is gone");
            }
        }
        for (FieldDescriptor after : reader.getFields()) {
            if (after.isRequired() && writer.findFieldByNumber(after.getNumber()) == null) {
                add(
                        "REQUIRED_FIELD_ADDED",
                        path + '/' + after.getNumber(),
                        "field " + after.getName() + " is required");
            }
        }
        for (OneofDescriptor oneof : reader.getRealOneofs()) {
            oneof(writer, oneof, path + '/' + oneof.getName());
        }
    }

    /** Whether a field that is gone was one of a oneof that is not gone with all its fields. */
    private static boolean isMissedIn(FieldDescriptor before, Descriptor reader) {
        OneofDescriptor oneof = before.getRealContainingOneof();
        return oneof != null
                && (reader.getRealOneofs().stream().anyMatch(o -> o.getName().equals(oneof.getName()))
                        || oneof.getFields().stream().anyMatch(f -> reader.findFieldByNumber(f.getNumber()) != null));
    }

    /** Fields exclude each other before only if they were of one oneof. */
    private void oneof(Descriptor writer, OneofDescriptor after, String path) {
        Set<String> origins = new HashSet<>();
        int independent = 0;
        for (FieldDescriptor field : after.getFields()) {
            FieldDescriptor before = writer.findFieldByNumber(field.getNumber());
            OneofDescriptor oneof = before == null ? null : before.getRealContainingOneof();
            if (oneof != null) {
                origins.add(oneof.getName());
            } else if (before != null) {
                independent++;
            }
        }
        if (independent > 1) {
            add("MULTIPLE_FIELDS_MOVED_TO_ONEOF", path, independent + " fields that were independent are of a oneof");
        } else if (origins.size() + independent > 1) {
            add("FIELD_MOVED_TO_EXISTING_ONEOF", path, "a field that was independent is of a oneof that was there");
        }
    }

    private void field(FieldDescriptor writer, FieldDescriptor reader, String path) {
        if (reader.isRequired() && !writer.isRequired()) {
            add("REQUIRED_FIELD_ADDED", path, "field " + reader.getName() + " became required");
        }
        if (writer.isMapField() != reader.isMapField()) {
            add("FIELD_KIND_CHANGED", path, "a map became another field, or another field a map");
            return;
        }
        if (writer.isRepeated() != reader.isRepeated() && isNumeric(writer)) {
            add("FIELD_NUMERIC_LABEL_CHANGED", path, "a number became repeated, or is so no more");
        }
        if (writer.isMapField()) {
            type(entry(writer, 1), entry(reader, 1), path + "/key");
            type(entry(writer, 2), entry(reader, 2), path + "/value");
        } else {
            type(writer, reader, path);
        }
    }

    private static FieldDescriptor entry(FieldDescriptor map, int number) {
        return map.getMessageType().findFieldByNumber(number);
    }

    private static boolean isNumeric(FieldDescriptor field) {
        return switch (field.getType()) {
            case STRING, BYTES, MESSAGE, GROUP -> false;
            default -> true;
        };
    }

    private void type(FieldDescriptor writer, FieldDescriptor reader, String path) {
        String text = name(writer) + " became " + name(reader);
        boolean wasMessage = isMessage(writer);
        if (wasMessage != isMessage(reader)) {
            add("FIELD_KIND_CHANGED", path, text);
        } else if (!wasMessage) {
            if (!encoding(writer.getType()).equals(encoding(reader.getType()))) {
                add("FIELD_SCALAR_KIND_CHANGED", path, text);
            }
        } else if (!localName(writer.getMessageType()).equals(localName(reader.getMessageType()))) {
            add("FIELD_NAMED_TYPE_CHANGED", path, text);
        } else if (!writer.getMessageType().getFile().equals(writerFile)
                || !reader.getMessageType().getFile().equals(readerFile)) {
            // others are compared where the file has them
            message(writer.getMessageType(), reader.getMessageType(), path);
        }
    }

    private static boolean isMessage(FieldDescriptor field) {
        return field.getType() == Type.MESSAGE || field.getType() == Type.GROUP;
    }

    private static String name(FieldDescriptor field) {
        return switch (field.getType()) {
            case MESSAGE, GROUP -> field.getMessageType().getFullName();
            case ENUM -> field.getEnumType().getFullName();
            default -> field.getType().name().toLowerCase(Locale.ROOT);
        };
    }

    /** Name without the package. */
    private static String localName(Descriptor message) {
        String name = message.getName();
        for (Descriptor outer = message.getContainingType(); outer != null; outer = outer.getContainingType()) {
            name = outer.getName() + '.' + name;
        }
        return name;
    }

    /** Types of one encoding can be read for each other. */
    private static String encoding(Type type) {
        return switch (type) {
            case INT32, INT64, UINT32, UINT64, BOOL, ENUM -> "varint";
            case SINT32, SINT64 -> "zigzag";
            case FIXED32, SFIXED32 -> "fixed32";
            case FIXED64, SFIXED64 -> "fixed64";
            case STRING, BYTES -> "bytes";
            case FLOAT -> "float";
            case DOUBLE -> "double";
            case MESSAGE, GROUP -> "message";
        };
    }
}
