package io.sluice.pulsar.schema;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import io.vertx.core.json.JsonObject;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Native Protobuf schemas, whose data is JSON: the files' descriptors, the file of the root message, and its full name. Protobuf's own
 * library links them.
 */
final class ProtobufDescriptors {
    private ProtobufDescriptors() {}

    /** @throws IllegalArgumentException if the data is no such schema */
    static Descriptor root(byte[] data) {
        JsonObject schema = new JsonObject(new String(data, UTF_8));
        String file = schema.getString("rootFileDescriptorName", "");
        String message = schema.getString("rootMessageTypeName", "");
        try {
            FileDescriptorSet set =
                    FileDescriptorSet.parseFrom(Base64.getDecoder().decode(schema.getString("fileDescriptorSet", "")));
            Map<String, FileDescriptorProto> files = new HashMap<>();
            set.getFileList().forEach(each -> files.put(each.getName(), each));
            Descriptor root = messageIn(link(file, files, new HashMap<>(), new HashSet<>()), message);
            if (root == null) {
                throw new IllegalArgumentException("file " + file + " has no message " + message);
            }
            return root;
        } catch (InvalidProtocolBufferException | DescriptorValidationException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
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

    private static FileDescriptor link(
            String name, Map<String, FileDescriptorProto> files, Map<String, FileDescriptor> linked, Set<String> open)
            throws DescriptorValidationException {
        FileDescriptor done = linked.get(name);
        if (done != null) {
            return done;
        }
        FileDescriptorProto file = files.get(name);
        if (file == null || !open.add(name)) {
            throw new IllegalArgumentException(
                    file == null ? "file " + name + " is missing" : "file " + name + " imports itself");
        }
        FileDescriptor[] imports = new FileDescriptor[file.getDependencyCount()];
        for (int i = 0; i < imports.length; i++) {
            imports[i] = link(file.getDependency(i), files, linked, open);
        }
        FileDescriptor now = FileDescriptor.buildFrom(file, imports, true);
        linked.put(name, now);
        return now;
    }
}
