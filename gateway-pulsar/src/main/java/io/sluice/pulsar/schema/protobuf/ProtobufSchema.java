package io.sluice.pulsar.schema.protobuf;

import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.ExtensionRegistry;
import com.google.protobuf.InvalidProtocolBufferException;
import io.sluice.pulsar.schema.error.InvalidSchemaException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A Protobuf file with those that it imports. */
public final class ProtobufSchema {
    /** Name of a file that was registered without one; another where an import has it. */
    private static final String NAME = "default.proto";

    private static final Pattern BASE64 = Pattern.compile("[A-Za-z0-9+/\\s]+={0,2}\\s*");

    private final String text;
    private final FileDescriptor file;
    /** Made when it is first asked for, by any thread. */
    private volatile @Nullable String normalized;

    private ProtobufSchema(String text, FileDescriptor file) {
        this.text = text;
        this.file = file;
    }

    /**
     * Reads a file's text, or its descriptor in base 64, of which a text is made.
     *
     * @param imports text by name of the files that it imports, and those import in turn; files that every compiler has need not be there
     */
    public static ProtobufSchema parse(String given, Map<String, String> imports) throws InvalidSchemaException {
        String name = NAME;
        while (imports.containsKey(name)) {
            name = "_" + name;
        }
        String text = BASE64.matcher(given).matches() ? textOf(given, imports) : given;
        return new ProtobufSchema(text, ProtobufParser.parse(name, text, imports));
    }

    private static String textOf(String base64, Map<String, String> imports) throws InvalidSchemaException {
        try {
            byte[] bytes = Base64.getMimeDecoder().decode(base64);
            FileDescriptorProto plain = FileDescriptorProto.parseFrom(bytes);
            StringBuilder importing = new StringBuilder("syntax = \"proto3\";\n");
            plain.getDependencyList()
                    .forEach(each -> importing.append("import \"").append(each).append("\";\n"));
            FileDescriptor imported = ProtobufParser.parse("imports/" + NAME, importing.toString(), imports);
            FileDescriptor[] dependencies = imported.getDependencies().toArray(FileDescriptor[]::new);
            FileDescriptor file = FileDescriptor.buildFrom(plain, dependencies, false);
            return ProtobufPrinter.print(FileDescriptorProto.parseFrom(bytes, extensions(file)), false);
        } catch (InvalidProtocolBufferException | DescriptorValidationException | IllegalArgumentException e) {
            throw new InvalidSchemaException(e.getMessage());
        }
    }

    /** The file of a set that has the root message, with what it imports. */
    public static ProtobufSchema of(FileDescriptorSet set, String rootFile) throws InvalidSchemaException {
        Map<String, String> texts = new HashMap<>();
        try {
            for (FileDescriptorProto each : set.getFileList()) {
                if (each.getName().equals(rootFile) || !BuiltInFiles.isBuiltIn(each.getName())) {
                    texts.put(each.getName(), ProtobufPrinter.print(each, false));
                }
            }
        } catch (IllegalArgumentException e) {
            throw new InvalidSchemaException(e.getMessage());
        }
        String text = texts.remove(rootFile);
        if (text == null) {
            throw new InvalidSchemaException("file " + rootFile + " is missing");
        }
        return new ProtobufSchema(text, ProtobufParser.parse(rootFile, text, texts));
    }

    /** As it was given, comments and all, or as it was made of a descriptor. */
    public String text() {
        return text;
    }

    public FileDescriptor file() {
        return file;
    }

    /** The same text for files that mean the same, however they are written; imports by their names. */
    public String normalized() {
        String known = normalized;
        if (known == null) {
            known = normalized(file);
            normalized = known;
        }
        return known;
    }

    private static String normalized(FileDescriptor file) {
        try {
            return ProtobufPrinter.print(
                    FileDescriptorProto.parseFrom(file.toProto().toByteString(), extensions(file)), true);
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The file's descriptor in base 64. */
    public String serialized() {
        return Base64.getEncoder().encodeToString(file.toProto().toByteArray());
    }

    /** Files that it needs, which it imports itself or others do, in an order in which each comes after those that it imports. */
    public List<FileDescriptor> imports() {
        Map<String, FileDescriptor> found = new LinkedHashMap<>();
        collect(file, found);
        found.remove(file.getName());
        return List.copyOf(found.values());
    }

    /** Whether all files that it imports are such as every compiler has. */
    public boolean standsAlone() {
        return imports().stream().allMatch(each -> BuiltInFiles.isBuiltIn(each.getName()));
    }

    /** Whether both mean the same, with what they import. */
    public boolean same(ProtobufSchema other) {
        return normalized().equals(other.normalized()) && normalizedImports().equals(other.normalizedImports());
    }

    private Map<String, String> normalizedImports() {
        Map<String, String> texts = new TreeMap<>();
        imports().stream()
                .filter(each -> !BuiltInFiles.isBuiltIn(each.getName()))
                .forEach(each -> texts.put(each.getName(), normalized(each)));
        return texts;
    }

    /** Reasons why readers with this schema cannot read what was written with the other, as Confluent's registry has them; empty if they can. */
    public List<String> differencesFrom(ProtobufSchema writer) {
        return ProtobufDifferences.between(writer.file, file);
    }

    private static ExtensionRegistry extensions(FileDescriptor file) {
        ExtensionRegistry registry = ExtensionRegistry.newInstance();
        Map<String, FileDescriptor> files = new LinkedHashMap<>();
        collect(file, files);
        for (FileDescriptor each : files.values()) {
            each.getExtensions().forEach(extension -> add(registry, extension));
            List<Descriptor> open = new ArrayList<>(each.getMessageTypes());
            while (!open.isEmpty()) {
                Descriptor message = open.removeLast();
                message.getExtensions().forEach(extension -> add(registry, extension));
                open.addAll(message.getNestedTypes());
            }
        }
        return registry;
    }

    private static void add(ExtensionRegistry registry, FieldDescriptor extension) {
        if (extension.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
            registry.add(extension, DynamicMessage.getDefaultInstance(extension.getMessageType()));
        } else {
            registry.add(extension);
        }
    }

    private static void collect(FileDescriptor file, Map<String, FileDescriptor> found) {
        if (found.containsKey(file.getName())) {
            return;
        }
        file.getDependencies().forEach(each -> collect(each, found));
        found.put(file.getName(), file);
    }
}
