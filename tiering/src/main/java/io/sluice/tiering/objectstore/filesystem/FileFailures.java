package io.sluice.tiering.objectstore.filesystem;

import io.sluice.tiering.objectstore.ObjectStoreException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Names the failures of a file system. The JDK tells a full disk and a read-only one only by the operating system's
 * message, so that is what is looked at.
 */
final class FileFailures {
    private FileFailures() {}

    static ObjectStoreException of(String doing, Path path, IOException failure) {
        String reason = String.valueOf(failure.getMessage()).toLowerCase(Locale.ROOT);
        if (failure instanceof NoSuchFileException) {
            return new ObjectStoreException.NotFound("No object at " + path, failure);
        }
        if (reason.contains("no space left") || reason.contains("quota exceeded")) {
            return new ObjectStoreException.Full("No space left while " + doing + " " + path, failure);
        }
        if (failure instanceof AccessDeniedException || reason.contains("read-only file system")) {
            return new ObjectStoreException.Denied("Not permitted: " + doing + " " + path, failure);
        }
        return new ObjectStoreException.Unavailable(
                "Failed while " + doing + " " + path + ": " + failure.getMessage(), failure);
    }
}
