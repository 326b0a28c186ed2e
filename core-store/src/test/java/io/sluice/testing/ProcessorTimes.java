package io.sluice.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Registered for every test class: writes down, beside the report of the class, how much of the processors it took, with the processes
 * that it started and that have ended. {@code .ci/test-times} lists it. Linux only; elsewhere nothing is written.
 */
public final class ProcessorTimes implements BeforeAllCallback, AfterAllCallback {
    private static final Path STAT = Path.of("/proc/self/stat");
    private static final Path REPORTS = Path.of("target", "surefire-reports");
    /** The kernel's clock ticks in a second, which is the same for all of its interfaces: proc(5), USER_HZ. */
    private static final double TICKS = 100;
    /** Fields of proc(5) after the name: user and system time, own and of the children that were waited for. */
    private static final int FIRST_TIME = 11;

    private static final int TIMES = 4;

    private static final ExtensionContext.Namespace OURS = ExtensionContext.Namespace.create(ProcessorTimes.class);

    @Override
    public void beforeAll(ExtensionContext context) throws IOException {
        if (outermost(context)) {
            context.getStore(OURS).put("ticks", ticks());
        }
    }

    @Override
    public void afterAll(ExtensionContext context) throws IOException {
        Long before = context.getStore(OURS).get("ticks", Long.class);
        if (outermost(context) && before != null && before > 0 && Files.isDirectory(REPORTS)) {
            Path report = REPORTS.resolve(context.getRequiredTestClass().getName() + ".processor");
            Files.writeString(report, "%.1f%n".formatted((ticks() - before) / TICKS));
        }
    }

    private static boolean outermost(ExtensionContext context) {
        return context.getRequiredTestClass().getEnclosingClass() == null;
    }

    private static long ticks() throws IOException {
        if (!Files.isReadable(STAT)) {
            return 0;
        }
        String stat = Files.readString(STAT);
        List<String> fields = List.of(stat.substring(stat.lastIndexOf(')') + 2).split(" "));
        return fields.subList(FIRST_TIME, FIRST_TIME + TIMES).stream()
                .mapToLong(Long::parseLong)
                .sum();
    }
}
