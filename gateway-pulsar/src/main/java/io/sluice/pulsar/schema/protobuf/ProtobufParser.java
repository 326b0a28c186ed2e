package io.sluice.pulsar.schema.protobuf;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.EnumDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.squareup.wire.Syntax;
import com.squareup.wire.schema.CoreLoader;
import com.squareup.wire.schema.CoreLoaderKt;
import com.squareup.wire.schema.ErrorCollector;
import com.squareup.wire.schema.Linker;
import com.squareup.wire.schema.Loader;
import com.squareup.wire.schema.Location;
import com.squareup.wire.schema.ProtoFile;
import com.squareup.wire.schema.Schema;
import com.squareup.wire.schema.internal.SchemaEncoder;
import com.squareup.wire.schema.internal.parser.EnumElement;
import com.squareup.wire.schema.internal.parser.MessageElement;
import com.squareup.wire.schema.internal.parser.ProtoFileElement;
import com.squareup.wire.schema.internal.parser.ProtoParser;
import com.squareup.wire.schema.internal.parser.ReservedElement;
import com.squareup.wire.schema.internal.parser.TypeElement;
import io.sluice.pulsar.schema.error.InvalidSchemaException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import kotlin.ranges.IntRange;

/**
 * Reads the text of a Protobuf file with those that it imports, and makes descriptors of them. Wire's parser reads and links the text, and
 * Protobuf's own library links the descriptors again, by its own rules.
 */
final class ProtobufParser {
    private final Map<String, String> imports;
    private final Map<String, String> plainImports = new HashMap<>();
    private final Map<String, ProtoFileElement> elements = new HashMap<>();

    private ProtobufParser(Map<String, String> imports) {
        this.imports = imports;
    }

    /**
     * @param name of the file itself
     * @param imports text by the name of the file; files that are built in need not be there
     */
    static FileDescriptor parse(String name, String text, Map<String, String> imports) throws InvalidSchemaException {
        try {
            return new ProtobufParser(imports).parse(name, text);
        } catch (RuntimeException e) {
            // parser and linker have several ways to say that it is none
            throw new InvalidSchemaException(e.getMessage());
        }
    }

    private FileDescriptor parse(String name, String text) throws InvalidSchemaException {
        SourceLimits limits = new SourceLimits();
        for (Map.Entry<String, String> each : imports.entrySet()) {
            plainImports.put(each.getKey(), limits.add(each.getValue()));
        }
        String plain = limits.add(text);
        Linker linker = new Linker(new Imports(), new ErrorCollector(), true, true);
        Schema schema = linker.link(List.of(ProtoFile.Companion.get(read(name, plain))));
        SchemaEncoder encoder = new SchemaEncoder(schema);
        Map<String, FileDescriptorProto> files = new HashMap<>();
        for (ProtoFile file : schema.getProtoFiles()) {
            ProtoFileElement element = elements.get(file.getLocation().getPath());
            if (element != null) {
                files.put(file.getLocation().getPath(), descriptor(encoder, file, element));
            }
        }
        return FileLinker.link(name, files);
    }

    private ProtoFileElement read(String name, String text) {
        ProtoFileElement element = ProtoParser.Companion.parse(Location.get(name), text);
        Syntax syntax = element.getSyntax();
        if (syntax != null && !Stream.of("proto2", "proto3").toList().contains(syntax.toString())) {
            throw new IllegalArgumentException(name + ": editions are not supported, syntax is proto2 or proto3");
        }
        elements.put(name, element);
        return element;
    }

    /** Files that are built in come first: a reference of such a name is not asked for. */
    private final class Imports implements Loader {
        @Override
        public ProtoFile load(String path) {
            if (CoreLoaderKt.isWireRuntimeProto(path)) {
                return CoreLoader.INSTANCE.load(path);
            }
            String builtIn = BuiltInFiles.text(path);
            if (BuiltInFiles.compiled(path) != null && builtIn != null) {
                return ProtoFile.Companion.get(ProtoParser.Companion.parse(Location.get(path), builtIn));
            }
            String text = builtIn == null ? plainImports.get(path) : builtIn;
            if (text == null) {
                throw new IllegalArgumentException("import \"" + path + "\" is no reference of the schema");
            }
            return ProtoFile.Companion.get(read(path, text));
        }

        @Override
        public Loader withErrors(ErrorCollector errors) {
            return this;
        }
    }

    private static FileDescriptorProto descriptor(SchemaEncoder encoder, ProtoFile file, ProtoFileElement element)
            throws InvalidSchemaException {
        try {
            FileDescriptorProto.Builder builder =
                    FileDescriptorProto.parseFrom(encoder.encode(file).toByteArray()).toBuilder();
            complete(builder.getMessageTypeBuilderList(), builder.getEnumTypeBuilderList(), element.getTypes());
            return builder.build();
        } catch (InvalidProtocolBufferException e) {
            throw new InvalidSchemaException(e.getMessage());
        }
    }

    /** Adds what the encoder leaves out: reserved numbers and names, and names for JSON. */
    private static void complete(
            List<DescriptorProto.Builder> messages, List<EnumDescriptorProto.Builder> enums, List<TypeElement> types) {
        Map<String, TypeElement> byName = new HashMap<>();
        types.forEach(type -> byName.put(type.getName(), type));
        for (DescriptorProto.Builder message : messages) {
            if (byName.get(message.getName()) instanceof MessageElement element) {
                complete(message, element);
                complete(
                        message.getNestedTypeBuilderList(), message.getEnumTypeBuilderList(), element.getNestedTypes());
            }
        }
        for (EnumDescriptorProto.Builder type : enums) {
            if (byName.get(type.getName()) instanceof EnumElement element) {
                complete(type, element);
            }
        }
    }

    private static void complete(DescriptorProto.Builder message, MessageElement element) {
        for (Object value : reserved(element.getReserveds())) {
            switch (value) {
                case String name -> message.addReservedName(name);
                case IntRange range ->
                    message.addReservedRangeBuilder().setStart(range.getFirst()).setEnd(range.getLast() + 1);
                default -> throw new IllegalArgumentException("reserved " + value);
            }
        }
        Map<String, String> jsonNames = new HashMap<>();
        Stream.concat(element.getFields().stream(), element.getOneOfs().stream().flatMap(o -> o.getFields().stream()))
                .filter(f -> f.getJsonName() != null)
                .forEach(f -> jsonNames.put(f.getName(), f.getJsonName()));
        message.getFieldBuilderList().forEach(field -> {
            String declared = jsonNames.get(field.getName());
            if (declared == null) {
                field.clearJsonName();
            } else {
                field.setJsonName(declared);
            }
        });
    }

    private static void complete(EnumDescriptorProto.Builder type, EnumElement element) {
        for (Object value : reserved(element.getReserveds())) {
            switch (value) {
                case String name -> type.addReservedName(name);
                case IntRange range ->
                    type.addReservedRangeBuilder().setStart(range.getFirst()).setEnd(range.getLast());
                default -> throw new IllegalArgumentException("reserved " + value);
            }
        }
    }

    /** Names and ranges. */
    private static List<Object> reserved(List<ReservedElement> elements) {
        return elements.stream()
                .flatMap(each -> each.getValues().stream())
                .map(value -> value instanceof Integer number ? new IntRange(number, number) : value)
                .toList();
    }
}
