package io.sluice.jobs.data.git;

import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.storage.file.FileBasedConfig;
import org.eclipse.jgit.util.FS;
import org.eclipse.jgit.util.SystemReader;

/** JGit without what the gateway's own user and machine have set up for git: nothing of it is read, and nothing is written there. */
final class Alone extends SystemReader.Delegate {
    Alone(SystemReader reader) {
        super(reader);
    }

    private static FileBasedConfig nothing(Config parent, FS fs) {
        return new FileBasedConfig(parent, null, fs) {
            @Override
            public void load() {
                clear();
            }

            @Override
            public void save() {
                // there is nowhere to
            }

            @Override
            public boolean isOutdated() {
                return false;
            }
        };
    }

    @Override
    public FileBasedConfig openUserConfig(Config parent, FS fs) {
        return nothing(parent, fs);
    }

    @Override
    public FileBasedConfig openSystemConfig(Config parent, FS fs) {
        return nothing(parent, fs);
    }

    @Override
    public FileBasedConfig openJGitConfig(Config parent, FS fs) {
        return nothing(parent, fs);
    }
}
