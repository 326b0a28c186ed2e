package io.sluice.pulsar.registry;

import java.io.IOException;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Levels of compatibility and modes, of subjects and of those that have none of their own. Blocking. */
public final class RegistrySettings {
    private static final CompatibilityLevel STANDARD_LEVEL = CompatibilityLevel.BACKWARD;

    private final RegistryRecords records;

    RegistrySettings(RegistryRecords records) {
        this.records = records;
    }

    /** Whether a subject takes new schemas, and who gives them their ids. */
    enum Mode {
        READWRITE,
        READONLY,
        IMPORT
    }

    /** Level of subjects that have none of their own. */
    public String level() throws IOException {
        String level = records.settings(null).level();
        return level == null ? STANDARD_LEVEL.name() : level;
    }

    /** Null where the subject has none of its own. */
    public @Nullable String ownLevel(Subject subject) throws IOException {
        return records.settings(subject.name()).level();
    }

    CompatibilityLevel levelOf(Subject subject) throws IOException {
        String own = ownLevel(subject);
        return CompatibilityLevel.valueOf(own == null ? level() : own);
    }

    /**
     * @param subject null for all that have none of their own
     * @param level null to have none
     */
    public void setLevel(@Nullable Subject subject, @Nullable String level) throws IOException, RegistryException {
        if (level != null && !isOneOf(CompatibilityLevel.values(), level)) {
            throw new RegistryException(
                    RegistryException.BAD_LEVEL,
                    "Invalid compatibility level. Valid values are none, backward, forward, full, backward_transitive,"
                            + " forward_transitive, and full_transitive");
        }
        records.changeSettings(subject == null ? null : subject.name(), settings -> settings.withLevel(level));
    }

    /** Mode of subjects that have none of their own. */
    public String mode() throws IOException {
        String mode = records.settings(null).mode();
        return mode == null ? Mode.READWRITE.name() : mode;
    }

    /** Null where the subject has none of its own. */
    public @Nullable String ownMode(Subject subject) throws IOException {
        return records.settings(subject.name()).mode();
    }

    Mode modeOf(Subject subject) throws IOException {
        String own = ownMode(subject);
        return Mode.valueOf(own == null ? mode() : own);
    }

    /** Whether schemas have to be there no more before a mode begins. */
    static boolean isForEmpty(String mode) {
        return mode.equals(Mode.IMPORT.name());
    }

    void setMode(@Nullable Subject subject, @Nullable String mode) throws IOException, RegistryException {
        if (mode != null && !isOneOf(Mode.values(), mode)) {
            throw new RegistryException(
                    RegistryException.BAD_MODE,
                    "Invalid mode. Valid values are "
                            + Arrays.stream(Mode.values()).map(Enum::name).collect(Collectors.joining(", ")));
        }
        records.changeSettings(subject == null ? null : subject.name(), settings -> settings.withMode(mode));
    }

    private static boolean isOneOf(Enum<?>[] values, String name) {
        return Arrays.stream(values).anyMatch(each -> each.name().equals(name));
    }
}
