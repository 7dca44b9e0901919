/** Owns people's folders and what is shared between them: where they lie, and whose they are. It never knows a job. */
@NullMarked
package io.sluice.files;

import org.jspecify.annotations.NullMarked;
