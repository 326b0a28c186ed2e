package io.sluice.pulsar.schema.protobuf;

import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FileDescriptor;
import io.sluice.pulsar.schema.error.InvalidSchemaException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Links a file's descriptor with those of the files that it imports; files that are built in need not be there. */
public final class FileLinker {
    private static final int MAX_DEPTH = 100;

    private final Map<String, FileDescriptorProto> files;
    private final boolean allowUnknown;
    private final Map<String, FileDescriptor> linked = new HashMap<>();
    private final Set<String> open = new HashSet<>();

    private FileLinker(Map<String, FileDescriptorProto> files, boolean allowUnknown) {
        this.files = files;
        this.allowUnknown = allowUnknown;
    }

    /** Links strictly: what a file names has to be there. */
    static FileDescriptor link(String name, Map<String, FileDescriptorProto> files) throws InvalidSchemaException {
        try {
            return new FileLinker(files, false).link(name);
        } catch (DescriptorValidationException | IllegalArgumentException e) {
            throw new InvalidSchemaException(e.getMessage());
        }
    }

    /**
     * Links a file of a set as a client sent it: all imports are in it, and types that are not become placeholders.
     *
     * @throws IllegalArgumentException if an import is missing or goes in a circle
     */
    public static FileDescriptor linkLeniently(String name, Map<String, FileDescriptorProto> files)
            throws DescriptorValidationException {
        return new FileLinker(files, true).link(name);
    }

    private FileDescriptor link(String name) throws DescriptorValidationException {
        FileDescriptor done = linked.get(name);
        if (done != null) {
            return done;
        }
        FileDescriptorProto file = files.get(name);
        FileDescriptor builtIn = file == null && !allowUnknown ? BuiltInFiles.compiled(name) : null;
        if (builtIn != null) {
            return builtIn;
        }
        if (file == null || !open.add(name) || open.size() > MAX_DEPTH) {
            throw new IllegalArgumentException(
                    file == null ? "file " + name + " is missing" : "file " + name + " imports itself");
        }
        FileDescriptor[] imports = new FileDescriptor[file.getDependencyCount()];
        for (int i = 0; i < imports.length; i++) {
            imports[i] = link(file.getDependency(i));
        }
        FileDescriptor now = FileDescriptor.buildFrom(file, imports, allowUnknown);
        open.remove(name);
        linked.put(name, now);
        return now;
    }
}
