package io.sluice.store.cache;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The system's {@code mmap}, for memory that becomes resident page by page as it is written: on Linux in its pages of 2 MiB
 * where it has them, which spares the processor most of the address translation of copying in and out.
 */
final class AnonymousMapping {
    private static final int PROT_READ_WRITE = 1 | 2;
    private static final int MAP_PRIVATE = 0x02;
    private static final int LINUX_ANONYMOUS_NORESERVE = 0x20 | 0x4000;
    private static final int MACOS_ANON = 0x1000;
    private static final long MAP_FAILED = -1;
    private static final int MADV_DONTNEED = 4;
    private static final int MADV_HUGEPAGE = 14;
    private static final long HUGE_PAGE = 2 << 20;

    private static final Logger log = LoggerFactory.getLogger(AnonymousMapping.class);

    private AnonymousMapping() {}

    /**
     * Begins at a multiple of 2 MiB. Null where this cannot be done: another system, native access denied, or the system
     * refuses.
     */
    static @Nullable MemorySegment map(long bytes) {
        int flags = flags();
        if (flags == 0) {
            return null;
        }
        try {
            long mapped = bytes + HUGE_PAGE;
            MemorySegment start =
                    (MemorySegment) Calls.MMAP.invokeExact(MemorySegment.NULL, mapped, PROT_READ_WRITE, flags, -1, 0L);
            if (start.address() == MAP_FAILED) {
                return null;
            }
            MemorySegment whole = start.reinterpret(mapped);
            long before = -start.address() & HUGE_PAGE - 1;
            unmap(whole.asSlice(0, before));
            unmap(whole.asSlice(before + bytes));
            MemorySegment kept = whole.asSlice(before, bytes);
            preferHugePages(kept);
            return kept;
        } catch (Throwable e) { // a method handle may throw anything; whatever it is, there is no mapping
            log.debug("mmap cannot be called", e);
            return null;
        }
    }

    /** Pages of the usual size do as well, so it does not matter whether this system can. */
    private static void preferHugePages(MemorySegment mapping) throws Throwable {
        if (linux()) {
            int result = (int) Calls.MADVISE.invokeExact(mapping, mapping.byteSize(), MADV_HUGEPAGE);
            log.debug("madvise for huge pages: {}", result);
        }
    }

    /** The system may have these pages back; they are zero when they are next touched. Linux only. */
    static void discard(MemorySegment pages) {
        if (!linux()) {
            return;
        }
        try {
            int result = (int) Calls.MADVISE.invokeExact(pages, pages.byteSize(), MADV_DONTNEED);
            if (result != 0) {
                log.warn("{} bytes of the cache could not be given back", pages.byteSize());
            }
        } catch (Throwable e) {
            throw new IllegalStateException("madvise cannot be called", e);
        }
    }

    static void unmap(MemorySegment mapping) {
        if (mapping.byteSize() == 0) {
            return;
        }
        try {
            int result = (int) Calls.MUNMAP.invokeExact(mapping, mapping.byteSize());
            if (result != 0) {
                log.warn("{} bytes of the cache could not be unmapped", mapping.byteSize());
            }
        } catch (Throwable e) {
            throw new IllegalStateException("munmap cannot be called", e);
        }
    }

    private static int flags() {
        if (linux()) {
            return MAP_PRIVATE | LINUX_ANONYMOUS_NORESERVE;
        }
        return system().startsWith("mac") ? MAP_PRIVATE | MACOS_ANON : 0;
    }

    private static boolean linux() {
        return system().startsWith("linux");
    }

    private static String system() {
        return System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
    }

    /** Looked up when first used, so that a system without them fails inside {@link #map}. */
    private static final class Calls {
        private static final Linker LINKER = Linker.nativeLinker();
        static final MethodHandle MMAP = find(
                "mmap",
                FunctionDescriptor.of(
                        ValueLayout.ADDRESS,
                        ValueLayout.ADDRESS,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_LONG));
        static final MethodHandle MADVISE = find(
                "madvise",
                FunctionDescriptor.of(
                        ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT));
        static final MethodHandle MUNMAP =
                find("munmap", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG));

        private static MethodHandle find(String name, FunctionDescriptor type) {
            return LINKER.downcallHandle(LINKER.defaultLookup().find(name).orElseThrow(), type);
        }
    }
}
