package io.sluice.pulsar.schema.protobuf;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.AnyProto;
import com.google.protobuf.ApiProto;
import com.google.protobuf.DescriptorProtos;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DurationProto;
import com.google.protobuf.EmptyProto;
import com.google.protobuf.FieldMaskProto;
import com.google.protobuf.SourceContextProto;
import com.google.protobuf.StructProto;
import com.google.protobuf.TimestampProto;
import com.google.protobuf.TypeProto;
import com.google.protobuf.WrappersProto;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Files that every compiler has, and those that serializers take for such: a schema may import them without a reference to a subject. They
 * are read from the libraries that bring them.
 */
final class BuiltInFiles {
    /** Descriptors of Protobuf's own files. */
    private static final Map<String, FileDescriptor> COMPILED = Stream.of(
                    AnyProto.getDescriptor(),
                    ApiProto.getDescriptor(),
                    DescriptorProtos.getDescriptor(),
                    DurationProto.getDescriptor(),
                    EmptyProto.getDescriptor(),
                    FieldMaskProto.getDescriptor(),
                    SourceContextProto.getDescriptor(),
                    StructProto.getDescriptor(),
                    TimestampProto.getDescriptor(),
                    TypeProto.getDescriptor(),
                    WrappersProto.getDescriptor())
            .collect(Collectors.toUnmodifiableMap(FileDescriptor::getName, Function.identity()));

    private static final Pattern OTHERS =
            Pattern.compile("google/type/[a-z_]+\\.proto|confluent/(meta|type/decimal)\\.proto");

    private BuiltInFiles() {}

    static @Nullable FileDescriptor compiled(String name) {
        return COMPILED.get(name);
    }

    static boolean isBuiltIn(String name) {
        return COMPILED.containsKey(name) || text(name) != null;
    }

    /** Text of the file; null if it is none of these. */
    static @Nullable String text(String name) {
        if (!COMPILED.containsKey(name) && !OTHERS.matcher(name).matches()) {
            return null;
        }
        try (InputStream in = BuiltInFiles.class.getClassLoader().getResourceAsStream(name)) {
            return in == null ? null : new String(in.readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
