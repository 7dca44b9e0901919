@NullMarked
package io.sluice.jobs.data.back;

import org.jspecify.annotations.NullMarked;
