@NullMarked
package io.sluice.files.centre;

import org.jspecify.annotations.NullMarked;
