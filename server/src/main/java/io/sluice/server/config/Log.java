package io.sluice.server.config;

import com.fasterxml.jackson.annotation.JsonProperty;

/** Log output of the process. */
public record Log(
        @Described("Form of the log on the screen: `text` (warnings, on standard error), or `json` (all of it, an"
                + " object a line on standard output). The file in `logs/` of the data folder has all of it as text.")
        Output output) {
    public Log {
        Checks.given("log.output", output);
    }

    /** Form of the log on the screen. */
    public enum Output {
        @JsonProperty("text")
        TEXT("text"),
        @JsonProperty("json")
        JSON("json");

        private final String word;

        Output(String word) {
            this.word = word;
        }

        @Override
        public String toString() {
            return word;
        }
    }

    static Log defaults() {
        return new Log(Output.TEXT);
    }
}
