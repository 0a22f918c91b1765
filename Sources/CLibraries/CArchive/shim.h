// The one header that the module `CArchive` is made of.
#pragma once
#include <archive.h>
#include <archive_entry.h>
