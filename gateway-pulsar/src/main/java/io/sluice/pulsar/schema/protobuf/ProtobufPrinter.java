package io.sluice.pulsar.schema.protobuf;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.EnumDescriptorProto;
import com.google.protobuf.DescriptorProtos.EnumValueDescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto.Label;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto.Type;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.MethodDescriptorProto;
import com.google.protobuf.DescriptorProtos.ServiceDescriptorProto;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Message;
import com.google.protobuf.TextFormat;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Writes a file's descriptor as text, without comments. Types are named in full, with a dot before. In the normal form fields, reserved
 * numbers, imports and options are in the order of their numbers or names, so that two files that mean the same are the same text; messages
 * keep their order, for it is part of what serializers write.
 */
final class ProtobufPrinter {
    private static final String PROTO3 = "proto3";

    private final StringBuilder out = new StringBuilder();
    private final boolean proto3;
    private final boolean normal;
    private int depth;

    private ProtobufPrinter(boolean proto3, boolean normal) {
        this.proto3 = proto3;
        this.normal = normal;
    }

    /** @param file parsed with the extensions that its options use; others are left out */
    static String print(FileDescriptorProto file, boolean normal) {
        ProtobufPrinter printer = new ProtobufPrinter(file.getSyntax().equals(PROTO3), normal);
        printer.file(file);
        return printer.out.toString();
    }

    private void line(String text) {
        out.append("  ".repeat(depth)).append(text).append('\n');
    }

    private void open(String text) {
        line(text + " {");
        depth++;
    }

    private void close() {
        depth--;
        line("}");
    }

    private void file(FileDescriptorProto file) {
        line("syntax = \"" + (proto3 ? PROTO3 : "proto2") + "\";");
        if (!file.getPackage().isEmpty()) {
            line("package " + file.getPackage() + ";");
        }
        List<String> imports = new ArrayList<>();
        for (int i = 0; i < file.getDependencyCount(); i++) {
            String kind = file.getPublicDependencyList().contains(i) ? "public " : "";
            imports.add("import " + kind + '"' + file.getDependency(i) + "\";");
        }
        if (!imports.isEmpty()) {
            out.append('\n');
            (normal ? imports.stream().sorted().distinct().toList() : imports).forEach(this::line);
        }
        options(file.getOptions());
        file.getMessageTypeList().forEach(m -> {
            out.append('\n');
            message(m, "." + (file.getPackage().isEmpty() ? "" : file.getPackage() + '.') + m.getName());
        });
        file.getEnumTypeList().forEach(e -> {
            out.append('\n');
            enumeration(e);
        });
        extensions(file.getExtensionList());
        file.getServiceList().forEach(this::service);
    }

    private void message(DescriptorProto message, String fullName) {
        open("message " + message.getName());
        options(message.getOptions());
        reserved(
                message.getReservedRangeList().stream()
                        .map(r -> range(r.getStart(), r.getEnd() - 1))
                        .toList(),
                message.getReservedNameList());
        Map<String, DescriptorProto> entries = new HashMap<>();
        for (DescriptorProto nested : message.getNestedTypeList()) {
            if (nested.getOptions().getMapEntry()) {
                entries.put(fullName + '.' + nested.getName(), nested);
            }
        }
        fields(message, entries);
        message.getExtensionRangeList().forEach(r -> line("extensions " + range(r.getStart(), r.getEnd() - 1) + ";"));
        for (DescriptorProto nested : message.getNestedTypeList()) {
            if (!nested.getOptions().getMapEntry()) {
                message(nested, fullName + '.' + nested.getName());
            }
        }
        message.getEnumTypeList().forEach(this::enumeration);
        extensions(message.getExtensionList());
        close();
    }

    private void fields(DescriptorProto message, Map<String, DescriptorProto> entries) {
        List<FieldDescriptorProto> fields = new ArrayList<>(message.getFieldList());
        if (normal) {
            fields.sort(Comparator.comparingInt(FieldDescriptorProto::getNumber));
        }
        Map<Integer, List<FieldDescriptorProto>> oneofs = new TreeMap<>();
        for (FieldDescriptorProto field : fields) {
            if (field.hasOneofIndex() && !field.getProto3Optional()) {
                oneofs.computeIfAbsent(field.getOneofIndex(), i -> new ArrayList<>())
                        .add(field);
            }
        }
        for (FieldDescriptorProto field : fields) {
            List<FieldDescriptorProto> members =
                    field.getProto3Optional() || !field.hasOneofIndex() ? null : oneofs.get(field.getOneofIndex());
            if (members == null) {
                field(field, label(field), entries.get(field.getTypeName()));
            } else if (members.getFirst() == field) {
                open("oneof " + message.getOneofDecl(field.getOneofIndex()).getName());
                options(message.getOneofDecl(field.getOneofIndex()).getOptions());
                members.forEach(member -> field(member, "", null));
                close();
            }
        }
    }

    private String label(FieldDescriptorProto field) {
        return switch (field.getLabel()) {
            case LABEL_REPEATED -> "repeated ";
            case LABEL_REQUIRED -> "required ";
            case LABEL_OPTIONAL -> proto3 && !field.getProto3Optional() ? "" : "optional ";
        };
    }

    private void field(FieldDescriptorProto field, String label, @Nullable DescriptorProto mapEntry) {
        String type = mapEntry == null
                ? label + type(field)
                : "map<" + type(mapEntry.getField(0)) + ", " + type(mapEntry.getField(1)) + ">";
        List<String> options = new ArrayList<>();
        if (field.hasDefaultValue()) {
            options.add("default = " + defaultValue(field));
        }
        if (field.hasJsonName() && !field.getJsonName().equals(jsonName(field.getName()))) {
            options.add("json_name = \"" + TextFormat.escapeDoubleQuotesAndBackslashes(field.getJsonName()) + '"');
        }
        options.addAll(named(field.getOptions()));
        line(type + ' ' + field.getName() + " = " + field.getNumber() + inBrackets(options) + ';');
    }

    /** The name that a field has in JSON unless it says another: {@code fieldName} for {@code field_name}. */
    private static String jsonName(String name) {
        StringBuilder json = new StringBuilder();
        boolean upper = false;
        for (char c : name.toCharArray()) {
            if (c != '_') {
                json.append(upper ? Character.toUpperCase(c) : c);
            }
            upper = c == '_';
        }
        return json.toString();
    }

    private static String inBrackets(List<String> options) {
        return options.isEmpty() ? "" : " [" + String.join(", ", options) + ']';
    }

    private static String defaultValue(FieldDescriptorProto field) {
        return switch (field.getType()) {
            case TYPE_STRING -> '"' + TextFormat.escapeDoubleQuotesAndBackslashes(field.getDefaultValue()) + '"';
            case TYPE_BYTES -> '"' + field.getDefaultValue() + '"';
            default -> field.getDefaultValue();
        };
    }

    private static String type(FieldDescriptorProto field) {
        if (field.getType() == Type.TYPE_GROUP) {
            throw new IllegalArgumentException("groups are not supported: " + field.getName());
        }
        return field.getTypeName().isEmpty()
                ? field.getType().name().substring("TYPE_".length()).toLowerCase(Locale.ROOT)
                : field.getTypeName();
    }

    private void enumeration(EnumDescriptorProto type) {
        open("enum " + type.getName());
        options(type.getOptions());
        reserved(
                type.getReservedRangeList().stream()
                        .map(r -> range(r.getStart(), r.getEnd()))
                        .toList(),
                type.getReservedNameList());
        for (EnumValueDescriptorProto value : type.getValueList()) {
            line(value.getName() + " = " + value.getNumber() + inBrackets(named(value.getOptions())) + ';');
        }
        close();
    }

    private static String range(int first, int last) {
        return first == last ? Integer.toString(first) : first + " to " + last;
    }

    private void reserved(List<String> ranges, List<String> names) {
        if (!ranges.isEmpty()) {
            line("reserved "
                    + String.join(", ", normal ? ranges.stream().sorted().toList() : ranges) + ';');
        }
        if (!names.isEmpty()) {
            List<String> quoted = names.stream().map(n -> '"' + n + '"').toList();
            line("reserved "
                    + String.join(", ", normal ? quoted.stream().sorted().toList() : quoted) + ';');
        }
    }

    private void extensions(List<FieldDescriptorProto> extensions) {
        for (FieldDescriptorProto extension : extensions) {
            open("extend " + extension.getExtendee());
            field(extension, extension.getLabel() == Label.LABEL_REPEATED ? "repeated " : label(extension), null);
            close();
        }
    }

    private void service(ServiceDescriptorProto service) {
        out.append('\n');
        open("service " + service.getName());
        options(service.getOptions());
        for (MethodDescriptorProto method : service.getMethodList()) {
            String text = "rpc " + method.getName() + " (" + (method.getClientStreaming() ? "stream " : "")
                    + method.getInputType() + ") returns (" + (method.getServerStreaming() ? "stream " : "")
                    + method.getOutputType() + ')';
            if (named(method.getOptions()).isEmpty()) {
                line(text + ';');
            } else {
                open(text);
                options(method.getOptions());
                close();
            }
        }
        close();
    }

    private void options(Message options) {
        named(options).forEach(option -> line("option " + option + ';'));
    }

    /** Options that are set, in the order of their numbers, each as {@code name = value}. */
    private static List<String> named(Message options) {
        List<String> named = new ArrayList<>();
        for (Map.Entry<FieldDescriptor, Object> each : options.getAllFields().entrySet()) {
            FieldDescriptor field = each.getKey();
            if (field.getName().equals("map_entry") && !field.isExtension()) {
                continue;
            }
            String name = field.isExtension() ? '(' + field.getFullName() + ')' : field.getName();
            if (field.isRepeated()) {
                ((List<?>) each.getValue()).forEach(value -> named.add(name + " = " + value(field, value)));
            } else {
                named.add(name + " = " + value(field, each.getValue()));
            }
        }
        return named;
    }

    private static String value(FieldDescriptor field, Object value) {
        if (field.getJavaType() == JavaType.MESSAGE) {
            return "{ " + TextFormat.printer().emittingSingleLine(true).printToString((Message) value) + " }";
        }
        try {
            StringBuilder text = new StringBuilder();
            TextFormat.printer().printFieldValue(field, value, text);
            return text.toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e); // a string builder has none
        }
    }
}
