package io.sluice.pulsar.schema;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import io.sluice.pulsar.schema.error.InvalidSchemaException;
import io.sluice.pulsar.schema.protobuf.FileLinker;
import io.sluice.pulsar.schema.protobuf.ProtobufSchema;
import io.vertx.core.json.JsonObject;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Native Protobuf schemas, whose data is JSON: the files' descriptors, the file of the root message, and its full name. Protobuf's own
 * library links them.
 */
public final class ProtobufDescriptors {
    private ProtobufDescriptors() {}

    /** @throws IllegalArgumentException if the data is no such schema */
    static Descriptor root(byte[] data) {
        JsonObject schema = new JsonObject(new String(data, UTF_8));
        String file = schema.getString("rootFileDescriptorName", "");
        String message = schema.getString("rootMessageTypeName", "");
        try {
            Map<String, FileDescriptorProto> files = new HashMap<>();
            set(schema).getFileList().forEach(each -> files.put(each.getName(), each));
            Descriptor root = messageIn(FileLinker.linkLeniently(file, files), message);
            if (root == null) {
                throw new IllegalArgumentException("file " + file + " has no message " + message);
            }
            return root;
        } catch (InvalidProtocolBufferException | DescriptorValidationException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    /**
     * Place of the root message in its file: that of the message at the top, then of each within.
     *
     * @throws IllegalArgumentException if the data is no such schema
     */
    public static List<Integer> rootPath(byte[] data) {
        LinkedList<Integer> path = new LinkedList<>();
        for (Descriptor at = root(data); at != null; at = at.getContainingType()) {
            path.addFirst(at.getIndex());
        }
        return List.copyOf(path);
    }

    private static @Nullable Descriptor messageIn(FileDescriptor file, String fullName) {
        for (Descriptor message : file.getMessageTypes()) {
            if (message.getFullName().equals(fullName)) {
                return message;
            }
            if (fullName.startsWith(message.getFullName() + '.')) {
                Descriptor within = message;
                String rest = fullName.substring(message.getFullName().length() + 1);
                for (String name : rest.split("\\.", -1)) {
                    within = within == null ? null : within.findNestedTypeByName(name);
                }
                return within;
            }
        }
        return null;
    }

    /**
     * The file of the root message with what it imports.
     *
     * @throws IllegalArgumentException if the data is no such schema
     */
    public static ProtobufSchema schema(byte[] data) throws InvalidSchemaException {
        JsonObject schema = new JsonObject(new String(data, UTF_8));
        try {
            return ProtobufSchema.of(set(schema), schema.getString("rootFileDescriptorName", ""));
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    private static FileDescriptorSet set(JsonObject schema) throws InvalidProtocolBufferException {
        return FileDescriptorSet.parseFrom(Base64.getDecoder().decode(schema.getString("fileDescriptorSet", "")));
    }

    /** Data of the schema whose root is the file's first message; of none where the file has none, which no Pulsar client can use. */
    public static byte[] data(ProtobufSchema schema) {
        FileDescriptor file = schema.file();
        FileDescriptorSet.Builder set = FileDescriptorSet.newBuilder();
        schema.imports().forEach(each -> set.addFile(each.toProto()));
        set.addFile(file.toProto());
        return new JsonObject()
                .put(
                        "fileDescriptorSet",
                        Base64.getEncoder().encodeToString(set.build().toByteArray()))
                .put(
                        "rootMessageTypeName",
                        file.getMessageTypes().isEmpty()
                                ? ""
                                : file.getMessageTypes().getFirst().getFullName())
                .put("rootFileDescriptorName", file.getName())
                .encode()
                .getBytes(UTF_8);
    }
}
